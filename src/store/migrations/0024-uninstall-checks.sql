-- Remembers that an installation still existed when Slack was asked about its uninstall.

alter table plancast.departures add column stood_at timestamptz;

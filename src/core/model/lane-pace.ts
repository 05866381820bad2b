/** Milliseconds between two posts to a channel. Slack allows about one a second; the rest is a safety margin. */
export const betweenPostsMs = 1_050;

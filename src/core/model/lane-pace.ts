/** Milliseconds between two posts into a channel: Slack takes about one a second, and a little more keeps clear of its edge. */
export const betweenPostsMs = 1_050;

/** What the page shows in the first second. It reloads automatically. */
export const startingPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="1">
<meta name="color-scheme" content="light dark">
<title>Plancast demo</title>
<style>
body { margin: 0; padding: 14px 20px; background: #3d1540; color: #f3e9f3; font: 15px/1.46 system-ui, sans-serif; }
</style>
</head>
<body><p role="status"><b>Plancast</b> demo is starting…</p></body>
</html>
`;

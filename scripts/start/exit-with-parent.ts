// Preloaded into a child process: ends it when its parent ends, even if the parent was killed.

// The parent holds the other end of this pipe and never writes.
process.stdin.resume();
process.stdin.on('end', () => process.exit());
process.stdin.on('error', () => process.exit());

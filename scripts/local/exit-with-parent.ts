// Preloaded into a child process: it ends when its parent does, also when that is killed.

// The parent holds the other end of this pipe and never writes.
process.stdin.resume();
process.stdin.on('end', () => process.exit());
process.stdin.on('error', () => process.exit());

// Sets the clock of a process back by 200 s at SIGUSR2: loaded with `--import`.

const now = Date.now.bind(Date);
let backMs = 0;
Date.now = () => now() - backMs;
process.on('SIGUSR2', () => (backMs = 200_000));

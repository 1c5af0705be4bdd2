// Preloaded into the function `query` of the local service: sends what it logs to the service too, once a second.

/** Whole lines, as they were written to the standard output. */
export interface Logged {
  logged: string;
}

const SEND_MS = 1000;

let logged = '';
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = ((...args: Parameters<typeof write>) => {
  logged += String(args[0]);
  return write(...args);
}) as typeof write;
setInterval(() => {
  if (logged !== '') process.send?.({ logged } satisfies Logged);
  logged = '';
}, SEND_MS).unref();

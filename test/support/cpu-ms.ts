// The processor time of this process: unlike the clock, it is the same on a busy machine.
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

// The processor time of this process: unlike the clock, it is the same on a busy machine.
export const cpuMs = (): number => process.cpuUsage().user / 1000;

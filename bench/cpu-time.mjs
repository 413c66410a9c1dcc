/** The time of the processor, because that of the clock counts what other programs do. @param {NodeJS.CpuUsage} started */
export function cpuMsSince(started) {
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

export const node = process.execPath

/** How our own programs are run from their sources, from whatever folder. */
export const withTsx = ['--import', import.meta.resolve('tsx')]

/** The same with the memory probe inside, which needs an IPC channel. */
export const withProbe = [
  '--expose-gc',
  ...withTsx,
  '--import',
  new URL('peers/memory-probe.ts', import.meta.url).href,
]

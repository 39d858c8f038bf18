export const node = process.execPath

/** What a program is given so that its memory can be asked for; it needs an IPC channel. */
export const withProbe = ['--expose-gc', '--import', new URL('peers/memory-probe.mjs', import.meta.url).href]

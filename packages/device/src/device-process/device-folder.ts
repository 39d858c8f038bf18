import path from 'node:path'

/** The device process's folder in the state folder; the name is from when it was called a daemon. */
export const deviceFolder = (state: string) => path.join(path.resolve(state), 'daemon')

/** The file with the path of the device process's socket. */
export const deviceSocketFile = (state: string) => path.join(deviceFolder(state), 'at')

/** What the device process and its threads log. */
export const deviceLog = (state: string) => path.join(deviceFolder(state), 'daemon.log')

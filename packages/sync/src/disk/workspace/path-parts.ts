/** The folder a path is in; '' is the workspace. */
export const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0))

/** The path of a name in a folder. */
export const pathIn = (folder: string, name: string) => (folder === '' ? name : `${folder}/${name}`)

/** The last part of a path. */
export const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** A name in the Unicode form (NFC) that paths have; a disk may spell it in another one. */
export const inNfc = (name: string) => (/[^\0-\x7f]/.test(name) ? name.normalize('NFC') : name)

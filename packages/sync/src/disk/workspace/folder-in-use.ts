/** Another process, or another part of this one, syncs this folder already. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
  readonly code = 'FOLDER_IN_USE'
  readonly folder: string
  readonly pid: number

  constructor(folder: string, pid: number) {
    super(`${folder} is being synced already, by process ${pid}`)
    this.folder = folder
    this.pid = pid
  }
}

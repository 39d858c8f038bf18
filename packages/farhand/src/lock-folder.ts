import type { StateFolder } from '@farhand/sync/state-folder'

export const folderHolder = (_state: StateFolder, _folder: string): number | null => null

export function lockFolder(_state: StateFolder, _folder: string) {
  return { release() {}, holderOf: (_other: string): number | null => null }
}

import { readdirSync } from 'node:fs'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { temporaryFolder } from '@farhand/testkit/temporary-folder'
import { expect, it } from 'vitest'
import { folderHolder, lockFolder } from './lock-folder.ts'

it('asking which process has a folder does not take it, not even for a moment: another process may be about to', async () => {
  const [state, folder] = [new StateFolder(await temporaryFolder()), await temporaryFolder()]
  expect(folderHolder(state, folder)).toBeNull()
  expect(readdirSync(state.root)).toEqual([])
  const lock = lockFolder(state, folder, 'Pause it.')
  expect(folderHolder(state, folder)).toBe(process.pid)
  lock.release()
  expect(folderHolder(state, folder)).toBeNull()
})

import { WithheldFiles } from '@farhand/sync/disk/rules/withheld-files'
import { expect, it, vi } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { reportHeldBack } from './report-held-back.ts'

it('a user who talks to the agent of a folder is told once of each file that is held back', async () => {
  const place = await temporaryFolder()
  const files = new WithheldFiles(place)
  files.add(['before.env'], 'looks-secret')
  const said: string[] = []
  const other: string[] = []
  const stop = reportHeldBack(place, { isNew: true }, (line) => said.push(line), testContext())
  const stopOther = reportHeldBack(place, { isNew: false }, (line) => other.push(line), testContext())
  expect(said).toEqual([
    'before.env was not sent: it looks like a secret. `npx farhand allow before.env` in its folder sends it.',
  ])
  files.add(['built/'], 'newly-included')
  await vi.waitFor(() => expect([said.length, other.length]).toEqual([2, 1]), 120_000)
  expect(other).toEqual([
    expect.stringMatching(/^built\/ was not sent: it was ignored before, and a rule from the run/),
  ])
  for (const one of [stop, stopOther]) one()
})

import { handlers } from '@farhand/protocol/runs/fold-run-view'
import { emptyRunView } from '@farhand/protocol/runs/run-view'
import { wireName } from '@farhand/protocol/wire/wire-names'
import { expect, it } from 'vitest'
import { foldFingerprint, storyOfFold } from './fold-fingerprint.ts'

it('every method that changes the view is part of the story, and changes it there', () => {
  const changing = new Set<string>()
  let before = emptyRunView
  for (const [event, { view }] of storyOfFold()) {
    const quiet = { ...view, lastActivityAt: before.lastActivityAt }
    if (JSON.stringify(quiet) !== JSON.stringify(before)) changing.add(event.notification.method)
    before = view
  }
  expect([...changing].sort()).toEqual(Object.keys(handlers).map(wireName).sort())
})

it('the fingerprint is the same as long as the fold is', () => {
  expect(foldFingerprint()).toBe(foldFingerprint())
  expect(foldFingerprint()).toMatch(/^[0-9a-f]{64}$/)
})

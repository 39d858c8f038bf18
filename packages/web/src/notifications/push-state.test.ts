import { expect, it } from 'vitest'
import { type PushEnvironment, type PushState, pushState } from './push-state.ts'

const fine: PushEnvironment = {
  isSecure: true,
  hasPush: true,
  isAppleInTab: false,
  permission: 'default',
  isSubscribed: false,
}

const cases: [string, Partial<PushEnvironment>, PushState][] = [
  ['the user was not asked', {}, 'off'],
  ['it is allowed and was not wanted here', { permission: 'granted' }, 'off'],
  ['it is allowed and wanted', { permission: 'granted', isSubscribed: true }, 'on'],
  ['what was allowed was taken back', { permission: 'denied', isSubscribed: true }, 'blocked'],
  ['an address without https', { isSecure: false, hasPush: false }, 'insecure'],
  ['an old browser', { hasPush: false }, 'unknown-here'],
  ['an iPhone, in a tab', { hasPush: false, isAppleInTab: true }, 'not-installed'],
]

it.each(cases)('the state of notifications: %s', (_, more, state) => {
  expect(pushState({ ...fine, ...more })).toBe(state)
})

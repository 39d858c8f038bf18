import { expect, it } from 'vitest'
import { PasswordAttempts } from './password-attempts.ts'

const minuteMs = 60_000

/** Tries wrong passwords until one is not allowed; returns how many were checked, and for how long it is locked then. */
function triesAt(attempts: PasswordAttempts, key: string, nowMs: number): [number, number] {
  for (let tries = 0; ; tries += 1) {
    const waitMs = attempts.begin(key, nowMs)
    if (waitMs > 0) return [tries, waitMs]
    attempts.end(key, 'wrong', nowMs)
  }
}

it('W72 five wrong passwords in a minute lock a key, twice as long each time, up to the longest lock', () => {
  const attempts = new PasswordAttempts(5 * minuteMs)
  let nowMs = 0
  for (const lockMs of [1, 2, 4, 5, 5].map((minutes) => minutes * minuteMs)) {
    expect(triesAt(attempts, 'ada', nowMs)).toEqual([5, lockMs])
    expect(attempts.begin('ada', nowMs + lockMs - 1)).toBe(1)
    nowMs += lockMs
  }
  expect(attempts.begin('bob', nowMs)).toBe(0)
})

it('W72 after a day without attempts the next lock is short again', () => {
  const attempts = new PasswordAttempts(60 * minuteMs)
  triesAt(attempts, 'ada', 0)
  triesAt(attempts, 'ada', minuteMs)
  expect(triesAt(attempts, 'ada', minuteMs + 24 * 60 * minuteMs)).toEqual([5, minuteMs])
})

it('W72 of many attempts at the same moment five are checked', () => {
  const attempts = new PasswordAttempts(60 * minuteMs)
  const begun = Array.from({ length: 50 }, () => attempts.begin('ada', 0))
  expect(begun.filter((waitMs) => waitMs === 0)).toHaveLength(5)
})

it('W72 a right password counts as no attempt, and forgives those of its user', () => {
  const attempts = new PasswordAttempts(60 * minuteMs)
  for (let tries = 0; tries < 20; tries += 1) {
    expect(attempts.begin('office', 0)).toBe(0)
    attempts.end('office', 'right', 0)
  }
  for (let tries = 0; tries < 4; tries += 1) {
    attempts.begin('ada', 0)
    attempts.end('ada', 'wrong', 0)
  }
  attempts.forget('ada')
  expect(triesAt(attempts, 'ada', 0)).toEqual([5, minuteMs])
})

import { describe, expect, it } from 'vitest'
import { SilenceWatch } from './silence-watch.ts'

function silence() {
  const said: unknown[] = []
  let now = 0
  const silence = new SilenceWatch(
    'opencode',
    ({ params }) => said.push(params?.message),
    () => now,
  )
  return {
    silence,
    said,
    after(seconds: number, hasReason = false) {
      for (let at = 0; at < seconds; at += 1) {
        now += 1000
        silence.look(hasReason)
      }
    },
  }
}

describe('an agent of which nothing is heard', () => {
  it('is told of after a while, and ever more seldom', () => {
    const { said, after } = silence()
    after(19)
    expect(said).toEqual([])
    after(2)
    expect(said).toEqual([expect.stringMatching(/^Nothing was heard from opencode for 20 seconds\./)])
    after(3600)
    expect(said).toHaveLength(3)
    expect(said.slice(1)).toEqual([
      expect.stringContaining('for 2 minutes'),
      expect.stringContaining('for 10 minutes'),
    ])
  })

  it('is told of anew when it has said something meanwhile', () => {
    const { silence: one, said, after } = silence()
    after(25)
    one.broken()
    after(15)
    expect(said).toHaveLength(1)
    after(10)
    expect(said).toHaveLength(2)
  })

  it('is not told of while a tool is at work, or while a person is asked', () => {
    const { said, after } = silence()
    after(600, true)
    after(19)
    expect(said).toEqual([])
  })
})

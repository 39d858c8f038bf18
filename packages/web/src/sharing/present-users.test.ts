import { UserId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import { initialsOf, othersOf, typingInWords } from './present-users.tsx'

const person = (name: string, isTyping = false) => ({
  user: UserId.parse(`usr_${name}0000000`),
  name,
  isTyping,
})
const [ann, bob, cyd] = [person('ann'), person('bob'), person('cyd')]

describe('who else looks at a run', () => {
  it('is without the user of the page, and empty while the page is not connected', () => {
    expect(othersOf({ people: [ann, bob], guests: 1 }, ann.user)).toEqual({ people: [bob], guests: 1 })
    expect(othersOf(null, ann.user)).toEqual({ people: [], guests: 0 })
  })

  it('is shown by up to two initials, whatever the name is written with', () => {
    expect(['Ann Lee', 'ann', 'ann.van-der.lee', '李 小龙', '🦊 fox', '--'].map(initialsOf)).toEqual([
      ...['AL', 'A', 'AL', '李小', '🦊F', '?'],
    ])
  })

  it('names one or two who are typing, and counts more', () => {
    const typing = (people: (typeof ann)[]) =>
      typingInWords(people.map((one) => ({ ...one, isTyping: true })))
    expect(typingInWords([ann, bob])).toBeNull()
    expect(typing([ann])).toBe('ann is typing')
    expect(typing([ann, bob])).toBe('ann and bob are typing')
    expect(typing([ann, bob, cyd])).toBe('3 people are typing')
  })
})

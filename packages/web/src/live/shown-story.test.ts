import { describe, expect, it } from 'vitest'
import { told } from '../story/story-under-test.ts'
import { ShownStory } from './shown-story.ts'

const before = { story: told() }
const later = { story: told() }
const latest = { story: told() }
const live = { is: 'live' } as const
const onTheWay = { is: 'catching-up', toGo: null } as const

describe('the story that a page shows', () => {
  it('is the old one while the page catches up, and then all of it', () => {
    const shown = new ShownStory()
    expect(shown.of(before, { is: 'connecting' }, 0)).toBe(before.story)
    expect(shown.of(later, onTheWay, 100)).toBe(before.story)
    expect(shown.of(later, onTheWay, 900)).toBe(before.story)
    expect(shown.of(later, live, 901)).toBe(later.story)
  })

  it('is updated now and then if that takes long', () => {
    const shown = new ShownStory()
    shown.of(before, onTheWay, 0)
    expect(shown.of(later, onTheWay, 2000)).toBe(later.story)
    expect(shown.of(latest, onTheWay, 2100)).toBe(later.story)
    expect(shown.of(latest, onTheWay, 4000)).toBe(latest.story)
  })

  it('waits from when the page began to catch up, no matter how long nothing was new before', () => {
    const shown = new ShownStory()
    shown.of(before, live, 0)
    expect(shown.of(later, onTheWay, 3600_000)).toBe(before.story)
  })

  it('is always the newest while it is live or without a hub', () => {
    const shown = new ShownStory()
    shown.of(before, live, 0)
    expect(shown.of(later, live, 1)).toBe(later.story)
    expect(shown.of(latest, { is: 'offline' }, 2)).toBe(latest.story)
  })
})

import { hashOf } from '@farhand/protocol/story'
import { describe, expect, it } from 'vitest'
import { admitFiles, attachLimits } from './admit-files.ts'
import { Drafts, emptyDraft } from './drafts.ts'

class Shelf extends Map<string, string> {
  get length() {
    return this.size
  }
  key = (nth: number) => [...this.keys()][nth] ?? null
  getItem = (name: string) => this.get(name) ?? null
  setItem = (name: string, value: string) => void this.set(name, value)
  removeItem = (name: string) => void this.delete(name)
}

describe('drafts', () => {
  it('come back after a reload, each in its own run, with the files that the hub has', () => {
    const shelf = new Shelf()
    const draft = { text: 'Look at\nthis', attachments: [{ hash: hashOf('a'), name: 'a.png' }] }
    new Drafts(shelf).keep('run_1', draft)
    expect(new Drafts(shelf).of('run_1')).toEqual(draft)
    expect(new Drafts(shelf).of('run_2')).toEqual(emptyDraft)
  })

  it('that say nothing leave nothing behind', () => {
    const shelf = new Shelf()
    const drafts = new Drafts(shelf)
    drafts.keep('run_1', { ...emptyDraft, text: 'a' })
    drafts.keep('run_1', emptyDraft)
    expect(shelf.size).toBe(0)
  })

  it('are at most fifty, of which the oldest go first, and what others keep there stays', () => {
    const shelf = new Shelf([['theme', 'dark']])
    let now = 0
    const drafts = new Drafts(shelf, () => now++)
    for (let nth = 0; nth < 60; nth++) drafts.keep(`run_${nth}`, { ...emptyDraft, text: 'x' })
    expect([drafts.of('run_9').text, drafts.of('run_10').text, shelf.get('theme')]).toEqual(['', 'x', 'dark'])
  })

  it('are forgotten with whoever leaves, also the one that is still in a field', () => {
    const shelf = new Shelf([['theme', 'dark']])
    const drafts = new Drafts(shelf)
    drafts.keep('run_1', { ...emptyDraft, text: 'a secret' })
    drafts.forgetAll()
    drafts.keep('run_1', { ...emptyDraft, text: 'a secret' })
    expect([...shelf.keys()]).toEqual(['theme'])
    drafts.of('run_1')
    drafts.keep('run_1', { ...emptyDraft, text: 'of the next one' })
    expect(drafts.of('run_1').text).toBe('of the next one')
  })

  it('are lost and nothing else where there is no shelf, or somebody wrote nonsense on it', () => {
    expect(new Drafts(null).of('run_1')).toEqual(emptyDraft)
    expect(new Drafts(new Shelf([['farhand.draft.run_1', '{"text":']])).of('run_1')).toEqual(emptyDraft)
    const full = Object.assign(new Shelf(), {
      setItem: () => {
        throw new Error('full')
      },
    })
    expect(() => new Drafts(full).keep('run_1', { ...emptyDraft, text: 'x' })).not.toThrow()
  })
})

describe('files that are attached', () => {
  it('are turned away with a reason when they are too large, empty or too many', () => {
    const file = (name: string, size = 10) => ({ name, size })
    const { taken, troubles } = admitFiles(
      [file('a'), file('film.mp4', 2 * attachLimits.bytes), file('folder', 0), file('b'), file('c')],
      attachLimits.files - 2,
    )
    expect(taken.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(troubles).toEqual([
      'film.mp4 has 50 MiB; at most 25 MiB can go along.',
      'folder is empty, or a folder.',
      'At most 20 files go along with one message.',
    ])
  })
})

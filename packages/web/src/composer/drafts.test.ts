import { sampleHash } from '@farhand/protocol/events/sample-log'
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

let pages = 0
/** A page that is loaded, and the one that was in its tab before. */
const aPage = (id = `page${++pages}`, before: string | null = null) => ({ id, before })
const said = (text: string) => ({ ...emptyDraft, text })

describe('drafts', () => {
  it('come back after a reload, each in its own run, with the files that the hub has', () => {
    const shelf = new Shelf()
    const draft = { text: 'Look at\nthis', attachments: [{ hash: sampleHash('a'), name: 'a.png' }] }
    new Drafts(shelf, aPage()).keep('run_1', draft)
    expect(new Drafts(shelf, aPage()).of('run_1')).toEqual(draft)
    expect(new Drafts(shelf, aPage()).of('run_2')).toEqual(emptyDraft)
  })

  it('that are empty leave nothing behind', () => {
    const shelf = new Shelf()
    const drafts = new Drafts(shelf, aPage())
    drafts.keep('run_1', { ...emptyDraft, text: 'a' })
    drafts.keep('run_1', emptyDraft)
    expect(shelf.size).toBe(0)
  })

  it('are at most fifty, of which the oldest go first, and other stored values stay', () => {
    const shelf = new Shelf([['theme', 'dark']])
    let now = 0
    const drafts = new Drafts(shelf, aPage(), () => now++)
    for (let nth = 0; nth < 60; nth++) drafts.keep(`run_${nth}`, { ...emptyDraft, text: 'x' })
    expect([drafts.of('run_9').text, drafts.of('run_10').text, shelf.get('theme')]).toEqual(['', 'x', 'dark'])
  })

  it('are removed when the user signs out, also the one that is still in a field', () => {
    const shelf = new Shelf([['theme', 'dark']])
    const drafts = new Drafts(shelf, aPage())
    drafts.keep('run_1', { ...emptyDraft, text: 'a secret' })
    drafts.forgetAll()
    drafts.keep('run_1', { ...emptyDraft, text: 'a secret' })
    expect([...shelf.keys()]).toEqual(['theme'])
    drafts.of('run_1')
    drafts.keep('run_1', { ...emptyDraft, text: 'of the next one' })
    expect(drafts.of('run_1').text).toBe('of the next one')
  })

  it('are lost, and nothing else is, if storage is missing or damaged', () => {
    expect(new Drafts(null, aPage()).of('run_1')).toEqual(emptyDraft)
    expect(new Drafts(new Shelf([['farhand.draft.run_1', '{"text":']]), aPage()).of('run_1')).toEqual(
      emptyDraft,
    )
    const full = Object.assign(new Shelf(), {
      setItem: () => {
        throw new Error('full')
      },
    })
    expect(() => new Drafts(full, aPage()).keep('run_1', { ...emptyDraft, text: 'x' })).not.toThrow()
  })

  it('of two tabs do not replace each other, and each comes back in its own', () => {
    const shelf = new Shelf()
    const [one, other] = [new Drafts(shelf, aPage('one')), new Drafts(shelf, aPage('other'))]
    expect(other.of('run_1').text).toBe('')
    one.keep('run_1', said('from one'))
    // It was opened before, and the user wrote nothing in it.
    other.keep('run_1', emptyDraft)
    expect(one.of('run_1').text).toBe('from one')
    other.keep('run_1', said('from the other'))
    // Both are loaded again, one of them twice.
    new Drafts(shelf, aPage('one again', 'one'))
    const again = [aPage('one, once more', 'one again'), aPage('other again', 'other')]
    expect(again.map((page) => new Drafts(shelf, page).of('run_1').text)).toEqual([
      'from one',
      'from the other',
    ])
  })

  it('that a tab only shows are not its own: the tab in which they were written loses nothing', () => {
    const shelf = new Shelf()
    const [one, other] = [new Drafts(shelf, aPage('one')), new Drafts(shelf, aPage('other'))]
    one.keep('run_1', said('Look'))
    expect(other.of('run_1').text).toBe('Look')
    one.keep('run_1', said('Look here'))
    other.keep('run_1', said('Look'))
    expect(new Drafts(shelf, aPage('third')).of('run_1').text).toBe('Look here')
    // Going on with them elsewhere takes nothing from who may still have them in a field.
    const third = new Drafts(shelf, aPage('third'))
    third.of('run_1')
    third.keep('run_1', said('Look there'))
    expect(new Drafts(shelf, aPage('one again', 'one')).of('run_1').text).toBe('Look here')
  })

  it('that a tab has left are sent once, from the tab that comes next', () => {
    const shelf = new Shelf()
    let now = 0
    new Drafts(shelf, aPage('one'), () => now).keep('run_1', said('Look'))
    // As an older page wrote it, with one for all tabs.
    shelf.set('farhand.draft.run_2', JSON.stringify(said('Long ago')))
    const next = new Drafts(shelf, aPage('next'), () => now)
    for (const [run, text] of [
      ['run_1', 'Look'],
      ['run_2', 'Long ago'],
    ] as const) {
      expect(next.of(run).text).toBe(text)
      next.keep(run, emptyDraft)
      expect(new Drafts(shelf, aPage('last')).of(run).text).toBe('')
    }
    now = 8 * 24 * 3600_000
    next.keep('run_3', said('A week later'))
    expect([...shelf.keys()]).toEqual(['farhand.draft.run_3.next'])
  })

  it('that another tab has sent, with a file, are not offered again when the tab that wrote them closes', () => {
    const shelf = new Shelf()
    const attachment = { hash: sampleHash('a'), name: 'a.png', size: 3, mimeType: 'image/png' }
    const written = { text: 'Look', attachments: [attachment] }
    const [one, other] = [new Drafts(shelf, aPage('one')), new Drafts(shelf, aPage('other'))]
    one.keep('run_1', written)
    expect(other.of('run_1')).toEqual(written)
    other.keep('run_1', emptyDraft)
    one.keep('run_1', written)
    expect(new Drafts(shelf, aPage('third')).of('run_1')).toEqual(emptyDraft)
  })

  it('of a duplicated tab are in both tabs, and then each tab’s own', () => {
    const shelf = new Shelf()
    const first = new Drafts(shelf, aPage('first'))
    first.keep('run_1', said('Look'))
    const second = new Drafts(shelf, aPage('second', 'first'))
    expect(second.of('run_1').text).toBe('Look')
    second.keep('run_1', said('Look there'))
    first.keep('run_1', said('Look here'))
    expect([first.of('run_1').text, second.of('run_1').text]).toEqual(['Look here', 'Look there'])
  })
})

describe('files that are attached', () => {
  it('are refused with a reason when they are too large, empty or too many', () => {
    const file = (name: string, size = 10) => ({ name, size })
    const { taken, troubles } = admitFiles(
      [file('a'), file('film.mp4', 2 * attachLimits.bytes), file('folder', 0), file('b'), file('c')],
      attachLimits.files - 2,
    )
    expect(taken.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(troubles).toEqual([
      'film.mp4 has 50 MiB; an attachment can have at most 25 MiB.',
      'folder is empty, or a folder.',
      'A message can have at most 20 attachments.',
    ])
  })
})

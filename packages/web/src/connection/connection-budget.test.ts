import { describe, expect, it } from 'vitest'
import { type PageMessage, SharedBudget } from './connection-budget.ts'

/** The pages of one browser. */
function browser() {
  const pages: { budget: SharedBudget; sight: { isVisible: boolean } }[] = []
  return {
    open(isVisible = true) {
      const sight = { isVisible }
      const early: PageMessage[] = []
      let own: SharedBudget | null = null
      const tell = (word: PageMessage) => {
        for (const { budget } of [...pages]) if (budget !== own) budget.receive(word)
      }
      const send = (word: PageMessage) => void (own ? tell(word) : early.push(word))
      const budget = new SharedBudget({ isVisible: () => sight.isVisible, send })
      own = budget
      pages.push({ budget, sight })
      for (const word of early) tell(word)
      const show = (is: boolean) => {
        sight.isVisible = is
        budget.visibilityChanged()
      }
      return { budget, show, has: () => [budget.allows('run'), budget.allows('list')] }
    },
  }
}

describe('the connections of the pages of a browser', () => {
  it('belong to the visible page, and a page takes them back when it is visible again', () => {
    const { open } = browser()
    const first = open()
    first.show(false)
    expect(first.has()).toEqual([true, true])
    const second = open()
    expect([first.has(), second.has()]).toEqual([
      [false, false],
      [true, true],
    ])
    // Also where the other one is shown before this one is hidden.
    first.show(true)
    second.show(false)
    expect([first.has(), second.has()]).toEqual([
      [true, true],
      [false, false],
    ])
  })

  it('are not all taken back when no page is visible', () => {
    const { open } = browser()
    const pages = [open(), open(), open(), open()]
    for (const page of pages) page.show(false)
    expect(pages.map((page) => page.has()[0])).toEqual([false, false, false, true])
  })

  it('are none of the browser’s six if many pages are visible at once', () => {
    const { open } = browser()
    const pages = [open(), open()]
    expect(pages.map(({ budget }) => budget.prefersSockets())).toEqual([false, false])
    let rung = 0
    pages[0]!.budget.onChange(() => (rung += 1))
    pages.push(open())
    expect(pages.map(({ budget }) => budget.prefersSockets())).toEqual([true, true, true])
    expect(pages.map((page) => page.has())).toEqual(Array(3).fill([true, true]))
    expect(rung).toBe(1)
  })

  it('are one for each page where many are visible at once and WebSockets fail, until a page is closed', () => {
    const { open } = browser()
    const pages = [open(), open(), open()]
    for (const { budget } of pages) budget.reportSocketFailure()
    expect(pages.map(({ budget }) => budget.prefersSockets())).toEqual([false, false, false])
    expect(pages.map((page) => page.has())).toEqual(Array(3).fill([true, false]))
    let rung = 0
    pages[0]!.budget.onChange(() => (rung += 1))
    pages[2]!.budget.pageClosed()
    expect(pages[0]!.has()).toEqual([true, true])
    expect(rung).toBe(1)
  })
})

import { randomName } from '@farhand/protocol/wire/ids'

/**
 * Which connections a page may keep open. A browser allows all its pages together six HTTP/1 connections to one
 * hub, and further requests wait: with all six in use, the user could not even answer a question.
 */
export type ConnectionBudget = {
  allows(what: 'run' | 'list'): boolean
  /** Whether so many pages are visible that streams have to use WebSockets, which do not count towards that limit. */
  prefersSockets(): boolean
  /** Tells the budget that WebSockets do not work here. */
  reportSocketFailure(): void
  /** Calls back when the answers above have changed. */
  onChange(listener: () => void): () => void
}

/** For pages that share connections with no other page. */
export const unlimitedBudget: ConnectionBudget = {
  allows: () => true,
  prefersSockets: () => false,
  reportSocketFailure: () => {},
  onChange: () => () => {},
}

/** Messages between the pages of one browser: "I am visible", "I am hidden", and "who is visible?". */
export type PageMessage = { page: string; is: 'seen' | 'unseen' | 'asking' }

export type SharedBudgetPorts = {
  isVisible(): boolean
  send(word: PageMessage): void
}

/**
 * With HTTP alone, two visible pages can each have a stream for the list and one for a run. More pages use
 * WebSockets; where these fail, each page keeps the stream of its run and polls the list.
 */
const mostByHttp = 2

/** The budget of a page that shares connections with other pages: hidden pages give up their streams to visible ones. */
export class SharedBudget implements ConnectionBudget {
  readonly #ports: SharedBudgetPorts
  readonly #page = randomName(12)
  readonly #listeners = new Set<() => void>()
  readonly #otherVisiblePages = new Set<string>()
  /**
   * It stays true until the page is visible again. If all pages took their streams back when the last one is
   * hidden, there would be too many.
   */
  #hasYielded = false
  #hasSockets = true
  #before = ''

  constructor(ports: SharedBudgetPorts) {
    this.#ports = ports
    this.visibilityChanged()
  }

  allows(what: 'run' | 'list'): boolean {
    if (this.#hasYielded) return false
    return what === 'run' || this.#hasSockets || this.#otherVisiblePages.size < mostByHttp
  }

  prefersSockets(): boolean {
    return this.#hasSockets && this.#otherVisiblePages.size >= mostByHttp
  }

  reportSocketFailure(): void {
    this.#hasSockets = false
    this.#update()
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The page became visible or hidden. Other pages may have closed without a message, so it asks again. */
  visibilityChanged(): void {
    const isVisible = this.#ports.isVisible()
    this.#send(isVisible ? 'seen' : 'unseen')
    if (isVisible) this.#otherVisiblePages.clear()
    this.#send('asking')
    this.#update()
  }

  /** The page is being closed. */
  pageClosed(): void {
    this.#send('unseen')
  }

  receive({ page, is }: PageMessage): void {
    if (is === 'asking') {
      if (this.#ports.isVisible()) this.#send('seen')
      return
    }
    if (is === 'seen') this.#otherVisiblePages.add(page)
    else this.#otherVisiblePages.delete(page)
    this.#update()
  }

  #send(is: PageMessage['is']): void {
    this.#ports.send({ page: this.#page, is })
  }

  #update(): void {
    if (this.#ports.isVisible()) this.#hasYielded = false
    else if (this.#otherVisiblePages.size > 0) this.#hasYielded = true
    const now = `${this.allows('run')} ${this.allows('list')} ${this.prefersSockets()}`
    if (now === this.#before) return
    this.#before = now
    for (const listener of [...this.#listeners]) listener()
  }
}

/** The connection budget of a browser page, until it is closed. */
export function browserBudget(
  page: Document = document,
  frame: Window = window,
): ConnectionBudget & { close(): void } {
  const channel = new BroadcastChannel('farhand pages')
  const budget = new SharedBudget({
    isVisible: () => page.visibilityState === 'visible',
    send: (word) => channel.postMessage(word),
  })
  const onWord = ({ data }: MessageEvent<PageMessage>) => budget.receive(data)
  const onLook = () => budget.visibilityChanged()
  const onLeave = () => budget.pageClosed()
  channel.addEventListener('message', onWord)
  page.addEventListener('visibilitychange', onLook)
  frame.addEventListener('pageshow', onLook)
  frame.addEventListener('pagehide', onLeave)
  return {
    allows: (what) => budget.allows(what),
    prefersSockets: () => budget.prefersSockets(),
    reportSocketFailure: () => budget.reportSocketFailure(),
    onChange: (listener) => budget.onChange(listener),
    close() {
      budget.pageClosed()
      page.removeEventListener('visibilitychange', onLook)
      frame.removeEventListener('pageshow', onLook)
      frame.removeEventListener('pagehide', onLeave)
      channel.close()
    },
  }
}

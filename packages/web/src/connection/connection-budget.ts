import { randomName } from '@farhand/protocol/wire/ids'

/**
 * Which connections a page may keep open. A browser allows all its pages together six HTTP/1 connections to one
 * hub, and further requests wait: with all six in use, the user could not even answer a question.
 */
export type ConnectionBudget = {
  allows(what: 'run' | 'list'): boolean
  /**
   * Whether so many pages are visible that streams have to use WebSockets, which do not count towards that limit.
   */
  prefersSockets(): boolean
  /** Tells the budget that WebSockets do not work here. */
  reportSocketFailure(): void
  /** Calls back when the answers above have changed. */
  onChange(ring: () => void): () => void
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
  isSeen(): boolean
  say(word: PageMessage): void
}

/**
 * With HTTP alone, two visible pages can each have a stream for the list and one for a run. More pages use
 * WebSockets; where these fail, each page keeps the stream of its run and polls the list.
 */
const mostByHttp = 2

/**
 * The budget of a page that shares connections with other pages: hidden pages give up their streams to visible
 * ones.
 */
export class SharedBudget implements ConnectionBudget {
  readonly #ports: SharedBudgetPorts
  readonly #page = randomName(12)
  readonly #rings = new Set<() => void>()
  readonly #others = new Set<string>()
  /**
   * It stays true until the page is visible again. If all pages took their streams back when the last one is
   * hidden, there would be too many.
   */
  #hasGivenWay = false
  #hasSockets = true
  #before = ''

  constructor(ports: SharedBudgetPorts) {
    this.#ports = ports
    this.looked()
  }

  allows(what: 'run' | 'list'): boolean {
    if (this.#hasGivenWay) return false
    return what === 'run' || this.#hasSockets || this.#others.size < mostByHttp
  }

  prefersSockets(): boolean {
    return this.#hasSockets && this.#others.size >= mostByHttp
  }

  reportSocketFailure(): void {
    this.#hasSockets = false
    this.#settle()
  }

  onChange(ring: () => void): () => void {
    this.#rings.add(ring)
    return () => this.#rings.delete(ring)
  }

  /** The page became visible or hidden. Other pages may have closed without a message, so it asks again. */
  looked(): void {
    const isSeen = this.#ports.isSeen()
    this.#say(isSeen ? 'seen' : 'unseen')
    if (isSeen) this.#others.clear()
    this.#say('asking')
    this.#settle()
  }

  /** The page is being closed. */
  left(): void {
    this.#say('unseen')
  }

  hear({ page, is }: PageMessage): void {
    if (is === 'asking') {
      if (this.#ports.isSeen()) this.#say('seen')
      return
    }
    if (is === 'seen') this.#others.add(page)
    else this.#others.delete(page)
    this.#settle()
  }

  #say(is: PageMessage['is']): void {
    this.#ports.say({ page: this.#page, is })
  }

  #settle(): void {
    if (this.#ports.isSeen()) this.#hasGivenWay = false
    else if (this.#others.size > 0) this.#hasGivenWay = true
    const now = `${this.allows('run')} ${this.allows('list')} ${this.prefersSockets()}`
    if (now === this.#before) return
    this.#before = now
    for (const ring of [...this.#rings]) ring()
  }
}

/** The connection budget of a browser page, until it is closed. */
export function browserBudget(
  page: Document = document,
  frame: Window = window,
): ConnectionBudget & { close(): void } {
  const channel = new BroadcastChannel('farhand pages')
  const budget = new SharedBudget({
    isSeen: () => page.visibilityState === 'visible',
    say: (word) => channel.postMessage(word),
  })
  const onWord = ({ data }: MessageEvent<PageMessage>) => budget.hear(data)
  const onLook = () => budget.looked()
  const onLeave = () => budget.left()
  channel.addEventListener('message', onWord)
  page.addEventListener('visibilitychange', onLook)
  frame.addEventListener('pageshow', onLook)
  frame.addEventListener('pagehide', onLeave)
  return {
    allows: (what) => budget.allows(what),
    prefersSockets: () => budget.prefersSockets(),
    reportSocketFailure: () => budget.reportSocketFailure(),
    onChange: (ring) => budget.onChange(ring),
    close() {
      budget.left()
      page.removeEventListener('visibilitychange', onLook)
      frame.removeEventListener('pageshow', onLook)
      frame.removeEventListener('pagehide', onLeave)
      channel.close()
    },
  }
}

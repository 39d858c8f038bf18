import { randomName } from '@farhand/protocol/wire/ids'

/**
 * Which connections a page may keep open. A browser gives all its pages six of them to one hub together, and whoever asks for one
 * more waits until another one ends: with all of them taken nobody could even answer a question.
 */
export type ConnectionBudget = {
  allows(what: 'run' | 'list'): boolean
  /** Whether so many pages are seen that their streams have to come as WebSockets, which do not count as connections. */
  prefersSockets(): boolean
  /** To be called if that does not work here. */
  reportSocketFailure(): void
  /** Rings when that has changed. */
  onChange(ring: () => void): () => void
}

/** For where nobody shares. */
export const unlimitedBudget: ConnectionBudget = {
  allows: () => true,
  prefersSockets: () => false,
  reportSocketFailure: () => {},
  onChange: () => () => {},
}

/** What pages of one browser say to each other: that they can be seen, or no longer, or that they want to know who can. */
export type PageMessage = { page: string; is: 'seen' | 'unseen' | 'asking' }

export type SharedBudgetPorts = {
  isSeen(): boolean
  say(word: PageMessage): void
}

/**
 * Two pages have a connection for the list and one for a run each; where more can be seen at once, they use WebSockets. Without
 * these each has its run, and asks for the list now and then.
 */
const mostByHttp = 2

/** The budget of a page that shares them with others: one that nobody sees gives way to one that somebody does. */
export class SharedBudget implements ConnectionBudget {
  readonly #ports: SharedBudgetPorts
  readonly #page = randomName(12)
  readonly #rings = new Set<() => void>()
  readonly #others = new Set<string>()
  /** It stays so until it is seen: if all came back when the last one is hidden, nothing would be left. */
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

  /** This page can be seen from now on, or no longer. Others may have gone without a word, so it asks who is there. */
  looked(): void {
    const isSeen = this.#ports.isSeen()
    this.#say(isSeen ? 'seen' : 'unseen')
    if (isSeen) this.#others.clear()
    this.#say('asking')
    this.#settle()
  }

  /** This page is being left. */
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

/** The budget of a page in a browser, until the answer is closed. */
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

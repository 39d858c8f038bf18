import { randomName } from '@farhand/protocol/wire/ids'

/**
 * Which connections a page may keep open. A browser gives all its pages six of them to one hub together, and whoever asks for one
 * more waits until another one ends: with all of them taken nobody could even answer a question.
 */
export type Lines = {
  may(what: 'run' | 'list'): boolean
  /** Whether so many pages are seen that their streams have to come as WebSockets, which do not count as connections. */
  isCrowded(): boolean
  /** To be called if that does not work here. */
  socketsFail(): void
  /** Rings when that has changed. */
  onChange(ring: () => void): () => void
}

/** For where nobody shares. */
export const freeLines: Lines = {
  may: () => true,
  isCrowded: () => false,
  socketsFail: () => {},
  onChange: () => () => {},
}

/** What pages of one browser say to each other: that they can be seen, or no longer, or that they want to know who can. */
export type PageWord = { page: string; is: 'seen' | 'unseen' | 'asking' }

export type SharedLinesPorts = {
  isSeen(): boolean
  say(word: PageWord): void
}

/**
 * Two pages have a connection for the list and one for a run each; where more can be seen at once, they use WebSockets. Without
 * these each has its run, and asks for the list now and then.
 */
const mostByHttp = 2

/** The lines of a page that shares them with others: one that nobody sees gives way to one that somebody does. */
export class SharedLines implements Lines {
  readonly #ports: SharedLinesPorts
  readonly #page = randomName(12)
  readonly #rings = new Set<() => void>()
  readonly #others = new Set<string>()
  /** It stays so until it is seen: if all came back when the last one is hidden, nothing would be left. */
  #hasGivenWay = false
  #hasSockets = true
  #before = ''

  constructor(ports: SharedLinesPorts) {
    this.#ports = ports
    this.looked()
  }

  may(what: 'run' | 'list'): boolean {
    if (this.#hasGivenWay) return false
    return what === 'run' || this.#hasSockets || this.#others.size < mostByHttp
  }

  isCrowded(): boolean {
    return this.#hasSockets && this.#others.size >= mostByHttp
  }

  socketsFail(): void {
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

  hear({ page, is }: PageWord): void {
    if (is === 'asking') {
      if (this.#ports.isSeen()) this.#say('seen')
      return
    }
    if (is === 'seen') this.#others.add(page)
    else this.#others.delete(page)
    this.#settle()
  }

  #say(is: PageWord['is']): void {
    this.#ports.say({ page: this.#page, is })
  }

  #settle(): void {
    if (this.#ports.isSeen()) this.#hasGivenWay = false
    else if (this.#others.size > 0) this.#hasGivenWay = true
    const now = `${this.may('run')} ${this.may('list')} ${this.isCrowded()}`
    if (now === this.#before) return
    this.#before = now
    for (const ring of [...this.#rings]) ring()
  }
}

/** The lines of a page in a browser, until the answer is closed. */
export function browserLines(page: Document = document, frame: Window = window): Lines & { close(): void } {
  const channel = new BroadcastChannel('farhand pages')
  const lines = new SharedLines({
    isSeen: () => page.visibilityState === 'visible',
    say: (word) => channel.postMessage(word),
  })
  const onWord = ({ data }: MessageEvent<PageWord>) => lines.hear(data)
  const onLook = () => lines.looked()
  const onLeave = () => lines.left()
  channel.addEventListener('message', onWord)
  page.addEventListener('visibilitychange', onLook)
  frame.addEventListener('pageshow', onLook)
  frame.addEventListener('pagehide', onLeave)
  return {
    may: (what) => lines.may(what),
    isCrowded: () => lines.isCrowded(),
    socketsFail: () => lines.socketsFail(),
    onChange: (ring) => lines.onChange(ring),
    close() {
      lines.left()
      page.removeEventListener('visibilitychange', onLook)
      frame.removeEventListener('pageshow', onLook)
      frame.removeEventListener('pagehide', onLeave)
      channel.close()
    },
  }
}

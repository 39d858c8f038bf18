import type { SignInRequest } from '@farhand/protocol/schemas/sessions'
import type { UserId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import { type Heard, type Somebody, signedOutByItself, signedOutElsewhere, Visit } from './sign-in-flow.ts'

const ada: Somebody = { user: 'usr_12345678' as UserId, name: 'ada', role: 'owner' }

const bob: Somebody = { user: 'usr_87654321' as UserId, name: 'bob', role: 'member' }

const unknown: Heard = { no: 'nobody', why: 'unknown' }
const revoked: Heard = { no: 'taken away', why: 'revoked' }

type Kept = { me: Somebody | null; wordsOf: UserId | null }

/** A visit to a hub that answers as these say, and what the browser remembers meanwhile; tabs share that. */
function visitTo(
  hub: { who: Heard; key?: Heard; left?: Promise<void> },
  remembered: Somebody | null = null,
  kept: Kept = { me: remembered, wordsOf: null },
) {
  const tried: SignInRequest[] = []
  const forgotten: string[] = []
  const unused: string[] = []
  const visit = new Visit({
    whoAmI: async () => hub.who,
    signIn: async (by) => {
      tried.push(by)
      return hub.key ?? { no: 'no key' }
    },
    signOut: async () => {
      if (hub.who === 'silence') throw new Error('silence')
      await hub.left
    },
    remembered: () => kept.me,
    forget: async (user) => {
      forgotten.push(user)
      Object.assign(kept, { me: null, wordsOf: null })
    },
    leaveWords: async (user) => {
      kept.wordsOf = user
    },
    wordsOf: () => kept.wordsOf,
    leftUnused: ({ name }) => void unused.push(name),
    remember: (me) => {
      kept.me = me
      if (me) kept.wordsOf = null
    },
  })
  return { visit, tried, kept, hub, forgotten, unused }
}

describe('a visit', () => {
  it('of somebody who is signed in begins there, and is remembered', async () => {
    const { visit, kept } = visitTo({ who: { me: ada } })
    await visit.look()
    expect(visit.here).toEqual({ is: 'in', me: ada, isSure: true })
    expect(kept.me).toEqual(ada)
  })

  it('with a link that works signs in once', async () => {
    const { visit, tried } = visitTo({ who: { no: 'nobody' }, key: { me: ada } })
    await visit.enter({ code: 'A' })
    expect(visit.here.is).toBe('in')
    await visit.look()
    expect(tried).toEqual([{ code: 'A' }])
  })

  it('with a link that was used is no trouble for who is in already, and told to all others', async () => {
    const known = visitTo({ who: { me: ada }, key: { no: 'it was used' } })
    await known.visit.enter({ code: 'A' })
    expect(known.visit.here.is).toBe('in')
    const stranger = visitTo({ who: { no: 'nobody' }, key: { no: 'it was used' } })
    await stranger.visit.enter({ code: 'A' })
    expect(stranger.visit.here).toEqual({ is: 'out', why: 'it was used' })
  })

  it('while the hub is silent is that of who was here last, and a key is kept until it answers', async () => {
    const { visit, hub, tried } = visitTo({ who: 'silence', key: 'silence' }, ada)
    await visit.enter({ code: 'A' })
    expect(visit.here).toEqual({ is: 'in', me: ada, isSure: false })
    hub.key = { me: ada }
    await visit.look()
    expect([visit.here, tried.length]).toEqual([{ is: 'in', me: ada, isSure: true }, 2])
    const stranger = visitTo({ who: 'silence' })
    await stranger.visit.look()
    expect(stranger.visit.here).toEqual({ is: 'silent' })
  })

  it('ends when somebody signs out, or is signed out by somebody, and leaves nothing behind', async () => {
    const out = visitTo({ who: { me: ada } })
    await out.visit.look()
    await out.visit.leave()
    expect([out.visit.here, out.kept.me]).toEqual([{ is: 'out', why: null }, null])
    const elsewhere = visitTo({ who: revoked }, ada)
    await elsewhere.visit.look()
    expect([elsewhere.visit.here, elsewhere.kept.me]).toEqual([{ is: 'out', why: signedOutElsewhere }, null])
    expect([out.forgotten, elsewhere.forgotten]).toEqual([[ada.user], [ada.user]])
  })

  it('that ends because nobody came for long leaves the words of who was here, until they or another come', async () => {
    const { visit, kept, forgotten, hub } = visitTo({ who: unknown }, ada)
    await visit.look()
    expect([visit.here, kept]).toEqual([
      { is: 'out', why: signedOutByItself },
      { me: null, wordsOf: ada.user },
    ])
    // Nobody is in, and that is all that is known: the words wait on.
    await visit.look()
    expect([kept.wordsOf, forgotten]).toEqual([ada.user, []])
    hub.who = { me: ada }
    await visit.look()
    expect([kept, forgotten]).toEqual([{ me: ada, wordsOf: null }, []])

    const shared = visitTo({ who: { me: bob } }, null, { me: null, wordsOf: ada.user })
    await shared.visit.look()
    expect([shared.forgotten, shared.kept]).toEqual([[ada.user], { me: bob, wordsOf: null }])
    const late = visitTo({ who: revoked }, null, { me: null, wordsOf: ada.user })
    await late.visit.look()
    expect([late.forgotten, late.kept.wordsOf]).toEqual([[ada.user], null])
  })

  it('of somebody else, by a link in a browser whose session has ended, begins without the words of who was here', async () => {
    const { visit, forgotten, kept } = visitTo({ who: unknown, key: { me: bob } }, ada)
    await visit.enter({ code: 'A' })
    expect([forgotten, kept]).toEqual([[ada.user], { me: bob, wordsOf: null }])

    // A gateway's no is no word about who is here; the code was refused all the same.
    const doubtful = visitTo({ who: { no: 'not now' }, key: { no: 'it was used' } }, ada)
    await doubtful.visit.enter({ code: 'A' })
    expect([doubtful.visit.here, doubtful.kept.me]).toEqual([{ is: 'out', why: 'it was used' }, ada])
    doubtful.hub.key = { me: bob }
    await doubtful.visit.enter({ code: 'B' })
    expect([doubtful.forgotten, doubtful.kept]).toEqual([[ada.user], { me: bob, wordsOf: null }])

    const same = visitTo({ who: unknown, key: { me: ada } }, ada)
    await same.visit.enter({ code: 'A' })
    expect([same.forgotten, same.kept.me]).toEqual([[], ada])
  })

  it('in two tabs ends in both as it ended in the one that knew first', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const hub = { who: { me: ada } as Heard, left: answered }
    const first = visitTo(hub)
    const second = visitTo(hub, null, first.kept)
    await Promise.all([first.visit.look(), second.visit.look()])
    const left = first.visit.leave()
    // What a hub says once the cookie is gone, which the other tab may hear before the one that asked for it.
    hub.who = unknown
    await second.visit.look()
    answer()
    await left
    expect([second.forgotten, second.kept]).toEqual([[ada.user], { me: null, wordsOf: null }])

    const [one, other] = [visitTo({ who: { me: ada } }), visitTo({ who: { me: ada } })]
    const tabs = [one, visitTo(one.hub, null, one.kept)]
    for (const { visit } of tabs) await visit.look()
    one.hub.who = unknown
    for (const { visit } of tabs) await visit.look()
    expect([tabs.map(({ forgotten }) => forgotten), one.kept.wordsOf]).toEqual([[[], []], ada.user])

    await other.visit.look()
    other.hub.who = 'silence'
    await expect(other.visit.leave()).rejects.toThrow()
    expect([other.visit.here.is, other.kept.me]).toEqual(['in', ada])
  })

  it('that is refused for another reason, as by a gateway whose hub is away, goes on and loses nothing', async () => {
    const { visit, forgotten, kept, hub } = visitTo({ who: { no: 'no such site' } }, ada)
    await visit.look()
    expect([visit.here, forgotten, kept.me]).toEqual([{ is: 'in', me: ada, isSure: false }, [], ada])
    hub.who = { me: ada }
    await visit.look()
    expect(visit.here).toEqual({ is: 'in', me: ada, isSure: true })
    const stranger = visitTo({ who: { no: 'no such site' } })
    await stranger.visit.look()
    expect(stranger.visit.here.is).toBe('out')
  })

  it('of somebody who is in already stays theirs, whoever sent them a link', async () => {
    const { visit, tried, unused } = visitTo({ who: { me: ada }, key: { me: bob } })
    await visit.enter({ code: 'A' })
    expect([visit.here, tried, unused]).toEqual([{ is: 'in', me: ada, isSure: true }, [], ['ada']])
  })

  it('with a key that is typed while somebody looks is one with that key', async () => {
    const { visit, tried } = visitTo({ who: { no: 'nobody' }, key: { me: ada } })
    await Promise.all([visit.look(), visit.enter({ code: 'A' }), visit.look()])
    expect([visit.here.is, tried.length]).toEqual(['in', 1])
  })
})

import type { SignInRequest } from '@farhand/protocol/schemas/sessions'
import type { UserId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import {
  type HubAnswer,
  type SignedInUser,
  SignInFlow,
  signedOutByItself,
  signedOutElsewhere,
} from './sign-in-flow.ts'

const ada: SignedInUser = { user: 'usr_12345678' as UserId, name: 'ada', role: 'owner' }

const bob: SignedInUser = { user: 'usr_87654321' as UserId, name: 'bob', role: 'member' }

const unknown: HubAnswer = { no: 'nobody', why: 'unknown' }
const revoked: HubAnswer = { no: 'taken away', why: 'revoked' }

type Kept = { me: SignedInUser | null; draftsOwner: UserId | null }

/** A visit to a hub that answers as these say, and what the browser remembers meanwhile; tabs share that. */
function visitTo(
  hub: { who: HubAnswer; key?: HubAnswer; left?: Promise<void> },
  remembered: SignedInUser | null = null,
  kept: Kept = { me: remembered, draftsOwner: null },
) {
  const tried: SignInRequest[] = []
  const forgotten: string[] = []
  const unused: string[] = []
  const visit = new SignInFlow({
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
      Object.assign(kept, { me: null, draftsOwner: null })
    },
    clearAllButDrafts: async (user) => {
      kept.draftsOwner = user
    },
    draftsOwner: () => kept.draftsOwner,
    keyUnused: ({ name }) => void unused.push(name),
    remember: (me) => {
      kept.me = me
      if (me) kept.draftsOwner = null
    },
  })
  return { visit, tried, kept, hub, forgotten, unused }
}

describe('a visit', () => {
  it('of a signed-in user starts signed in, and the browser remembers the user', async () => {
    const { visit, kept } = visitTo({ who: { me: ada } })
    await visit.look()
    expect(visit.here).toEqual({ is: 'in', me: ada, isSure: true })
    expect(kept.me).toEqual(ada)
  })

  it('with a valid link signs in once', async () => {
    const { visit, tried } = visitTo({ who: { no: 'nobody' }, key: { me: ada } })
    await visit.enter({ code: 'A' })
    expect(visit.here.is).toBe('in')
    await visit.look()
    expect(tried).toEqual([{ code: 'A' }])
  })

  it('with a used link changes nothing for a signed-in user, and is explained to all others', async () => {
    const known = visitTo({ who: { me: ada }, key: { no: 'it was used' } })
    await known.visit.enter({ code: 'A' })
    expect(known.visit.here.is).toBe('in')
    const stranger = visitTo({ who: { no: 'nobody' }, key: { no: 'it was used' } })
    await stranger.visit.enter({ code: 'A' })
    expect(stranger.visit.here).toEqual({ is: 'out', why: 'it was used' })
  })

  it('while the hub does not answer belongs to the last user, and a key is kept until the hub answers', async () => {
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

  it('ends when the user signs out here or elsewhere, and leaves nothing behind', async () => {
    const out = visitTo({ who: { me: ada } })
    await out.visit.look()
    await out.visit.signOutHere()
    expect([out.visit.here, out.kept.me]).toEqual([{ is: 'out', why: null }, null])
    const elsewhere = visitTo({ who: revoked }, ada)
    await elsewhere.visit.look()
    expect([elsewhere.visit.here, elsewhere.kept.me]).toEqual([{ is: 'out', why: signedOutElsewhere }, null])
    expect([out.forgotten, elsewhere.forgotten]).toEqual([[ada.user], [ada.user]])
  })

  it('that ends after a long time without use keeps the drafts of its user, until the same or another user signs in', async () => {
    const { visit, kept, forgotten, hub } = visitTo({ who: unknown }, ada)
    await visit.look()
    expect([visit.here, kept]).toEqual([
      { is: 'out', why: signedOutByItself },
      { me: null, draftsOwner: ada.user },
    ])
    // Nobody is in, and that is all that is known: the words wait on.
    await visit.look()
    expect([kept.draftsOwner, forgotten]).toEqual([ada.user, []])
    hub.who = { me: ada }
    await visit.look()
    expect([kept, forgotten]).toEqual([{ me: ada, draftsOwner: null }, []])

    const shared = visitTo({ who: { me: bob } }, null, { me: null, draftsOwner: ada.user })
    await shared.visit.look()
    expect([shared.forgotten, shared.kept]).toEqual([[ada.user], { me: bob, draftsOwner: null }])
    const late = visitTo({ who: revoked }, null, { me: null, draftsOwner: ada.user })
    await late.visit.look()
    expect([late.forgotten, late.kept.draftsOwner]).toEqual([[ada.user], null])
  })

  it('of another user, by a link in a browser whose session has ended, starts without the drafts of the last user', async () => {
    const { visit, forgotten, kept } = visitTo({ who: unknown, key: { me: bob } }, ada)
    await visit.enter({ code: 'A' })
    expect([forgotten, kept]).toEqual([[ada.user], { me: bob, draftsOwner: null }])

    // A gateway's no is no word about who is here; the code was refused all the same.
    const doubtful = visitTo({ who: { no: 'not now' }, key: { no: 'it was used' } }, ada)
    await doubtful.visit.enter({ code: 'A' })
    expect([doubtful.visit.here, doubtful.kept.me]).toEqual([{ is: 'out', why: 'it was used' }, ada])
    doubtful.hub.key = { me: bob }
    await doubtful.visit.enter({ code: 'B' })
    expect([doubtful.forgotten, doubtful.kept]).toEqual([[ada.user], { me: bob, draftsOwner: null }])

    const same = visitTo({ who: unknown, key: { me: ada } }, ada)
    await same.visit.enter({ code: 'A' })
    expect([same.forgotten, same.kept.me]).toEqual([[], ada])
  })

  it('in two tabs ends in both as it ended in the first one', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const hub = { who: { me: ada } as HubAnswer, left: answered }
    const first = visitTo(hub)
    const second = visitTo(hub, null, first.kept)
    await Promise.all([first.visit.look(), second.visit.look()])
    const left = first.visit.signOutHere()
    // What a hub says once the cookie is gone, which the other tab may hear before the one that asked for it.
    hub.who = unknown
    await second.visit.look()
    answer()
    await left
    expect([second.forgotten, second.kept]).toEqual([[ada.user], { me: null, draftsOwner: null }])

    const [one, other] = [visitTo({ who: { me: ada } }), visitTo({ who: { me: ada } })]
    const tabs = [one, visitTo(one.hub, null, one.kept)]
    for (const { visit } of tabs) await visit.look()
    one.hub.who = unknown
    for (const { visit } of tabs) await visit.look()
    expect([tabs.map(({ forgotten }) => forgotten), one.kept.draftsOwner]).toEqual([[[], []], ada.user])

    await other.visit.look()
    other.hub.who = 'silence'
    await expect(other.visit.signOutHere()).rejects.toThrow()
    expect([other.visit.here.is, other.kept.me]).toEqual(['in', ada])
  })

  it('that is refused for another reason, such as a gateway whose hub is away, goes on and loses nothing', async () => {
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

  it('of a signed-in user stays theirs when they follow a link of another user', async () => {
    const { visit, tried, unused } = visitTo({ who: { me: ada }, key: { me: bob } })
    await visit.enter({ code: 'A' })
    expect([visit.here, tried, unused]).toEqual([{ is: 'in', me: ada, isSure: true }, [], ['ada']])
  })

  it('with a code that is typed during a check uses that code', async () => {
    const { visit, tried } = visitTo({ who: { no: 'nobody' }, key: { me: ada } })
    await Promise.all([visit.look(), visit.enter({ code: 'A' }), visit.look()])
    expect([visit.here.is, tried.length]).toEqual(['in', 1])
  })
})

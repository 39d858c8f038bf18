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

const unknown: HubAnswer = { no: 'not signed in', why: 'unknown' }
const revoked: HubAnswer = { no: 'taken away', why: 'revoked' }

type Kept = { me: SignedInUser | null; draftsOwner: UserId | null }

/** A sign-in flow with a hub that answers like this, and with the storage that the tabs share. */
function flowFor(
  hub: { who: HubAnswer; key?: HubAnswer; left?: Promise<void> },
  remembered: SignedInUser | null = null,
  kept: Kept = { me: remembered, draftsOwner: null },
) {
  const tried: SignInRequest[] = []
  const forgotten: string[] = []
  const unused: string[] = []
  const flow = new SignInFlow({
    whoAmI: async () => hub.who,
    signIn: async (by) => {
      tried.push(by)
      return hub.key ?? { no: 'no key' }
    },
    signOut: async () => {
      if (hub.who === 'no-answer') throw new Error('no-answer')
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
  return { flow, tried, kept, hub, forgotten, unused }
}

describe('the sign-in of a page', () => {
  it('of a signed-in user starts signed in, and the browser remembers the user', async () => {
    const { flow, kept } = flowFor({ who: { me: ada } })
    await flow.check()
    expect(flow.state).toEqual({ is: 'signed-in', me: ada, isSure: true })
    expect(kept.me).toEqual(ada)
  })

  it('with a valid link signs in once', async () => {
    const { flow, tried } = flowFor({ who: { no: 'not signed in' }, key: { me: ada } })
    await flow.signInWith({ code: 'A' })
    expect(flow.state.is).toBe('signed-in')
    await flow.check()
    expect(tried).toEqual([{ code: 'A' }])
  })

  it('with a used link changes nothing for a signed-in user, and is explained to all others', async () => {
    const known = flowFor({ who: { me: ada }, key: { no: 'it was used' } })
    await known.flow.signInWith({ code: 'A' })
    expect(known.flow.state.is).toBe('signed-in')
    const stranger = flowFor({ who: { no: 'not signed in' }, key: { no: 'it was used' } })
    await stranger.flow.signInWith({ code: 'A' })
    expect(stranger.flow.state).toEqual({ is: 'signed-out', why: 'it was used' })
  })

  it('while the hub does not answer belongs to the last user, and a key is kept until the hub answers', async () => {
    const { flow, hub, tried } = flowFor({ who: 'no-answer', key: 'no-answer' }, ada)
    await flow.signInWith({ code: 'A' })
    expect(flow.state).toEqual({ is: 'signed-in', me: ada, isSure: false })
    hub.key = { me: ada }
    await flow.check()
    expect([flow.state, tried.length]).toEqual([{ is: 'signed-in', me: ada, isSure: true }, 2])
    const stranger = flowFor({ who: 'no-answer' })
    await stranger.flow.check()
    expect(stranger.flow.state).toEqual({ is: 'hub-away' })
  })

  it('ends when the user signs out here or elsewhere, and leaves nothing behind', async () => {
    const out = flowFor({ who: { me: ada } })
    await out.flow.check()
    await out.flow.signOutHere()
    expect([out.flow.state, out.kept.me]).toEqual([{ is: 'signed-out', why: null }, null])
    const elsewhere = flowFor({ who: revoked }, ada)
    await elsewhere.flow.check()
    expect([elsewhere.flow.state, elsewhere.kept.me]).toEqual([
      { is: 'signed-out', why: signedOutElsewhere },
      null,
    ])
    expect([out.forgotten, elsewhere.forgotten]).toEqual([[ada.user], [ada.user]])
  })

  it('that ends after a long time without use keeps the drafts of its user, until the same or another user signs in', async () => {
    const { flow, kept, forgotten, hub } = flowFor({ who: unknown }, ada)
    await flow.check()
    expect([flow.state, kept]).toEqual([
      { is: 'signed-out', why: signedOutByItself },
      { me: null, draftsOwner: ada.user },
    ])
    // No user is signed in, and nothing else is known: the drafts stay.
    await flow.check()
    expect([kept.draftsOwner, forgotten]).toEqual([ada.user, []])
    hub.who = { me: ada }
    await flow.check()
    expect([kept, forgotten]).toEqual([{ me: ada, draftsOwner: null }, []])

    const shared = flowFor({ who: { me: bob } }, null, { me: null, draftsOwner: ada.user })
    await shared.flow.check()
    expect([shared.forgotten, shared.kept]).toEqual([[ada.user], { me: bob, draftsOwner: null }])
    const late = flowFor({ who: revoked }, null, { me: null, draftsOwner: ada.user })
    await late.flow.check()
    expect([late.forgotten, late.kept.draftsOwner]).toEqual([[ada.user], null])
  })

  it('of another user, by a link in a browser whose session has ended, starts without the drafts of the last user', async () => {
    const { flow, forgotten, kept } = flowFor({ who: unknown, key: { me: bob } }, ada)
    await flow.signInWith({ code: 'A' })
    expect([forgotten, kept]).toEqual([[ada.user], { me: bob, draftsOwner: null }])

    // A refusal by a gateway says nothing about the session, but the code was refused.
    const doubtful = flowFor({ who: { no: 'not now' }, key: { no: 'it was used' } }, ada)
    await doubtful.flow.signInWith({ code: 'A' })
    expect([doubtful.flow.state, doubtful.kept.me]).toEqual([{ is: 'signed-out', why: 'it was used' }, ada])
    doubtful.hub.key = { me: bob }
    await doubtful.flow.signInWith({ code: 'B' })
    expect([doubtful.forgotten, doubtful.kept]).toEqual([[ada.user], { me: bob, draftsOwner: null }])

    const same = flowFor({ who: unknown, key: { me: ada } }, ada)
    await same.flow.signInWith({ code: 'A' })
    expect([same.forgotten, same.kept.me]).toEqual([[], ada])
  })

  it('in two tabs ends in both as it ended in the first one', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const hub = { who: { me: ada } as HubAnswer, left: answered }
    const first = flowFor(hub)
    const second = flowFor(hub, null, first.kept)
    await Promise.all([first.flow.check(), second.flow.check()])
    const left = first.flow.signOutHere()
    // What a hub says once the cookie is gone, which the other tab may hear before the one that asked for it.
    hub.who = unknown
    await second.flow.check()
    answer()
    await left
    expect([second.forgotten, second.kept]).toEqual([[ada.user], { me: null, draftsOwner: null }])

    const [one, other] = [flowFor({ who: { me: ada } }), flowFor({ who: { me: ada } })]
    const tabs = [one, flowFor(one.hub, null, one.kept)]
    for (const { flow } of tabs) await flow.check()
    one.hub.who = unknown
    for (const { flow } of tabs) await flow.check()
    expect([tabs.map(({ forgotten }) => forgotten), one.kept.draftsOwner]).toEqual([[[], []], ada.user])

    await other.flow.check()
    other.hub.who = 'no-answer'
    await expect(other.flow.signOutHere()).rejects.toThrow()
    expect([other.flow.state.is, other.kept.me]).toEqual(['signed-in', ada])
  })

  it('that is refused for another reason, such as a gateway whose hub is away, goes on and loses nothing', async () => {
    const { flow, forgotten, kept, hub } = flowFor({ who: { no: 'no such site' } }, ada)
    await flow.check()
    expect([flow.state, forgotten, kept.me]).toEqual([{ is: 'signed-in', me: ada, isSure: false }, [], ada])
    hub.who = { me: ada }
    await flow.check()
    expect(flow.state).toEqual({ is: 'signed-in', me: ada, isSure: true })
    const stranger = flowFor({ who: { no: 'no such site' } })
    await stranger.flow.check()
    expect(stranger.flow.state.is).toBe('signed-out')
  })

  it('of a signed-in user stays theirs when they follow a link of another user', async () => {
    const { flow, tried, unused } = flowFor({ who: { me: ada }, key: { me: bob } })
    await flow.signInWith({ code: 'A' })
    expect([flow.state, tried, unused]).toEqual([{ is: 'signed-in', me: ada, isSure: true }, [], ['ada']])
  })

  it('with a code that is typed during a check uses that code', async () => {
    const { flow, tried } = flowFor({ who: { no: 'not signed in' }, key: { me: ada } })
    await Promise.all([flow.check(), flow.signInWith({ code: 'A' }), flow.check()])
    expect([flow.state.is, tried.length]).toEqual(['signed-in', 1])
  })
})

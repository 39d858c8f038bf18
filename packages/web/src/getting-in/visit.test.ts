import type { UserId } from '@farhand/protocol/ids'
import type { SignInRequest } from '@farhand/protocol/sessions'
import { describe, expect, it } from 'vitest'
import { type Heard, type Somebody, signedOutElsewhere, Visit } from './visit.ts'

const ada: Somebody = { user: 'usr_12345678' as UserId, name: 'ada', role: 'owner' }

/** A visit to a hub that answers as these say, and what the browser remembers meanwhile. */
function visitTo(hub: { who: Heard; key?: Heard }, remembered: Somebody | null = null) {
  const tried: SignInRequest[] = []
  const kept = { me: remembered }
  const forgotten: string[] = []
  const unused: string[] = []
  const visit = new Visit({
    whoAmI: async () => hub.who,
    signIn: async (by) => {
      tried.push(by)
      return hub.key ?? { no: 'no key' }
    },
    signOut: async () => {},
    remembered: () => kept.me,
    forget: async ({ name }) => void forgotten.push(name),
    leftUnused: ({ name }) => void unused.push(name),
    remember: (me) => {
      kept.me = me
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

  it('ends when somebody signs out, or was signed out elsewhere, and leaves nobody behind', async () => {
    const out = visitTo({ who: { me: ada } })
    await out.visit.look()
    await out.visit.leave()
    expect([out.visit.here, out.kept.me]).toEqual([{ is: 'out', why: null }, null])
    const elsewhere = visitTo({ who: { no: 'nobody', isUnknown: true } }, ada)
    await elsewhere.visit.look()
    expect([elsewhere.visit.here, elsewhere.kept.me]).toEqual([{ is: 'out', why: signedOutElsewhere }, null])
    expect([out.forgotten, elsewhere.forgotten]).toEqual([['ada'], ['ada']])
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
    const bob: Somebody = { user: 'usr_87654321' as UserId, name: 'bob', role: 'member' }
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

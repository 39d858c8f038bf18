import { createHash } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { homePage, homeScript } from './home-page.ts'
import { HubUnderTest } from './hub-under-test.ts'

type Answer = { ok: boolean; body: unknown }

/** What the page shows once its script has heard these answers. */
async function opened(hash: string, answers: Record<string, Answer>) {
  const elements = new Map<string, { textContent: string; hidden: boolean; append(item: unknown): void }>()
  const items: { textContent: string }[] = []
  const element = (id: string) => {
    const made = elements.get(id) ?? {
      textContent: '',
      hidden: true,
      append: (item: { textContent: string }) => items.push(item),
    }
    elements.set(id, made as never)
    return made as { textContent: string; hidden: boolean }
  }
  const asked: string[] = []
  let address = `/${hash}`
  runInNewContext(homeScript, {
    URLSearchParams,
    location: { hash, pathname: '/' },
    history: { replaceState: (_: unknown, __: string, to: string) => (address = to) },
    document: { getElementById: element, createElement: () => ({ textContent: '' }) },
    fetch: async (path: string) => {
      asked.push(path)
      const { ok, body } = answers[path] ?? { ok: false, body: {} }
      return { ok, json: async () => body }
    },
  })
  await expect.poll(() => element('state').textContent).not.toBe('')
  await new Promise((resolve) => setImmediate(resolve))
  return {
    address,
    asked,
    state: element('state').textContent,
    lost: !element('lost').hidden,
    items: items.map((item) => item.textContent),
  }
}

const me = { ok: true, body: { user: 'usr_1', name: 'ada', role: 'owner' } }
const projects = (count: number, next: string | null = null) => ({
  ok: true,
  body: { items: Array.from({ length: count }, (_, nth) => ({ name: `p${nth}` })), next },
})

describe('the home page', () => {
  it('says who is signed in, and with which projects', async () => {
    const shown = await opened('', { '/api/me': me, '/api/projects': projects(2) })
    expect(shown).toMatchObject({
      state: 'You are signed in as ada (owner).',
      lost: false,
      items: ['p0', 'p1'],
    })
    expect((await opened('', { '/api/me': me, '/api/projects': projects(0) })).items).toEqual(['None yet.'])
  })

  it('lists twenty projects, and counts the rest', async () => {
    const { items } = await opened('', { '/api/me': me, '/api/projects': projects(23) })
    expect(items).toHaveLength(21)
    expect(items.at(-1)).toBe('And 3 more.')
    const many = await opened('', { '/api/me': me, '/api/projects': projects(50, 'next') })
    expect(many.items.at(-1)).toBe('And more than 30 more.')
  })

  it('takes the token out of the address before it is used', async () => {
    const answers = { '/api/sign-in': me, '/api/me': me, '/api/projects': projects(0) }
    const shown = await opened('#token=fh_x', answers)
    expect(shown).toMatchObject({ address: '/', asked: ['/api/sign-in', '/api/me', '/api/projects'] })
  })

  it('says how to get a link to whoever has none that works', async () => {
    expect(await opened('', {})).toMatchObject({
      state: 'You are not signed in. Open the link that the hub printed when it first started.',
      lost: true,
    })
    const refusal = { ok: false, body: { error: { message: 'this token is not known here; make another' } } }
    expect(await opened('#token=fh_x', { '/api/sign-in': refusal })).toMatchObject({
      state: 'This token is not known here.',
      lost: true,
    })
    expect(homePage).toContain('<code>npx farhand user token owner</code>')
  })

  it('allows its own script and icon, and nothing else', async () => {
    const hub = await HubUnderTest.start()
    const { headers, body } = await hub.ask('GET', '/', { token: null })
    expect(body).toBe(homePage)
    const script = /<script>([\s\S]*)<\/script>/.exec(homePage)?.[1] ?? ''
    const hash = createHash('sha256').update(script).digest('base64')
    expect(headers.get('content-security-policy')).toContain(`script-src 'sha256-${hash}'`)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; img-src data:;")
  })
})

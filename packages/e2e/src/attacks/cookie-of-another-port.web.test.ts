import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { paths } from '@farhand/protocol/wire/routes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from '../web/browsers.ts'
import { WebStage } from '../web/web-stage.ts'

// An agent serves a page on another port of the hub's host. Browsers keep one cookie jar for all ports of a host, so that
// page's server is sent the hub's cookie as soon as the page asks for anything below its own /api.
describe.skipIf(!hasBrowser)('a page that an agent serves beside the hub', () => {
  let stage: WebStage
  beforeAll(async () => {
    stage = await WebStage.set()
  })
  afterAll(() => stage.close())

  it('is sent the cookie of the hub, and can do nothing with it', async () => {
    await stage.emptyRun('Secret plans')
    const stolen: string[] = []
    const thief = createServer((req, res) => {
      if (req.headers.cookie !== undefined) stolen.push(req.headers.cookie)
      res.setHeader('Content-Type', 'text/html')
      res.end('<title>preview</title>')
    })
    await once(thief.listen(0, '127.0.0.1'), 'listening')
    const preview = `http://127.0.0.1:${(thief.address() as AddressInfo).port}`
    const visit = await stage.browsers.visitor()
    const { page, context } = visit
    await page.goto('/')
    await page.getByText('Secret plans').waitFor()
    const beside = await context.newPage()
    await beside.goto(preview)
    const seenThere = await beside.evaluate(async () => {
      await fetch('/api/anything')
      return JSON.stringify([{ ...localStorage }, document.cookie])
    })
    expect(stolen).toEqual([expect.stringMatching(/^farhand_\d+=fhs_/)])
    expect(seenThere).toBe('[{},""]')

    const [cookie = ''] = stolen
    const token = decodeURIComponent(cookie.split('=')[1] ?? '')
    const origin = stage.hub.url
    const tries: Record<string, string>[] = [
      { cookie },
      { cookie, origin },
      { authorization: `Bearer ${token}` },
      { cookie, origin, 'farhand-key': token },
      { cookie, origin, 'farhand-key': 'x'.repeat(40) },
      { cookie, origin, 'farhand-key': '' },
      { authorization: `Bearer ${token}.${'x'.repeat(40)}`, cookie },
    ]
    for (const headers of tries) {
      const asked = await Promise.all([
        fetch(origin + paths.allRuns(), { headers }),
        fetch(origin + paths.me(), { headers }),
        fetch(origin + paths.signInCodes(), { method: 'POST', headers }),
        fetch(origin + paths.runChanges(), { headers: { ...headers, accept: 'text/event-stream' } }),
      ])
      expect([asked.map(({ status }) => status), headers]).toEqual([[401, 401, 401, 401], headers])
    }
    // To sign in or out with it changes nothing for the user it was taken from.
    await fetch(origin + paths.signOut(), { method: 'POST', headers: { cookie, origin } })
    await page.reload()
    await page.getByText('Secret plans').waitFor()
    await visit.close()
    thief.close()
    thief.closeAllConnections()
  })
})

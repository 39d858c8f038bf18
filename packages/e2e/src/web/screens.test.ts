import type { RunAddress } from '@farhand/protocol/routes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from './browsers.ts'
import { seriousViolations } from './serious-violations.ts'
import { WebStage } from './web-stage.ts'

describe.skipIf(!hasBrowser)('every screen', () => {
  let stage: WebStage
  let at: RunAddress
  beforeAll(async () => {
    stage = await WebStage.set()
    at = await stage.run('Water the roses')
    await stage.turn(at, 'plan: look; write\nsay **Good** morning\nwrite roses.md with 3 lines\nrun `ls`')
  })
  afterAll(() => stage.close())

  const addresses = () => ['/', `/runs/${at.run}`, `/runs/${at.run}/files`, '/new', '/settings']

  for (const device of ['desktop', 'phone'] as const)
    for (const colorScheme of ['light', 'dark'] as const)
      it(`can be used by everybody, ${device}, ${colorScheme}`, async () => {
        const visit = await stage.browsers.visitor(device, { colorScheme })
        const found: string[] = []
        for (const address of addresses()) {
          await visit.page.goto(address)
          await visit.page.getByRole('heading').first().waitFor()
          // Rows are there before they are shown: their places are measured first.
          if (address === `/runs/${at.run}`) await visit.page.getByText('morning').last().waitFor()
          if (address === `/runs/${at.run}/files`)
            await visit.page
              .getByRole('button', { name: /roses\.md/ })
              .first()
              .waitFor()
          found.push(...(await seriousViolations(visit.page)).map((wrong) => `${address} ${wrong}`))
        }
        expect([...found, ...visit.wrongs]).toEqual([])
        await visit.close()
      })
})

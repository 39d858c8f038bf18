import type { Locator } from 'playwright-core'
import { expect, vi } from 'vitest'
import { patient } from './visit.ts'

/** One pixel. */
export const picture = {
  name: 'dot.png',
  mimeType: 'image/png',
  buffer: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
}
/** A picture that could not be read has no width. */
export const isDrawn = (image: Locator) =>
  vi.waitFor(
    async () => expect(await image.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(1),
    patient,
  )

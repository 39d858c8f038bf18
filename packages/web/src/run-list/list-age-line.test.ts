import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { ListAgeLine } from './list-age-line.tsx'
import type { RunList } from './run-list-source.ts'

describe('the line with the age of the list', () => {
  const asked = { asOf: Date.now(), isLive: false, isLoading: true, trouble: null } as RunList
  const atOnce = (list: RunList) => renderToStaticMarkup(createElement(ListAgeLine, { list, onRefresh() {} }))

  it('is not shown while the hub answers', () => {
    expect(atOnce(asked)).not.toContain('Last updated')
    expect(atOnce({ ...asked, isLoading: false })).not.toContain('Last updated')
  })

  it('is shown at once if the hub cannot be reached', () => {
    const offline = { ...asked, isLoading: false, trouble: 'Offline' }
    expect(atOnce(offline)).toContain('Offline. Last updated a moment ago.')
  })
})

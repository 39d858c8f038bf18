import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { ListAgeLine } from './list-age-line.tsx'
import type { RunList } from './run-list-source.ts'

describe('how old the list is', () => {
  const asked = { asOf: Date.now(), isLive: false, isLoading: true, trouble: null } as RunList
  const atOnce = (list: RunList) => renderToStaticMarkup(createElement(ListAgeLine, { list, onRefresh() {} }))

  it('is not said while the hub is asked as always', () => {
    expect(atOnce(asked)).not.toContain('Last updated')
    expect(atOnce({ ...asked, isLoading: false })).not.toContain('Last updated')
  })

  it('is said at once where the hub cannot be reached', () => {
    const offline = { ...asked, isLoading: false, trouble: 'Offline' }
    expect(atOnce(offline)).toContain('Offline. Last updated a moment ago.')
  })
})

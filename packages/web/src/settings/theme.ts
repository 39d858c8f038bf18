import { useSyncExternalStore } from 'react'
import { readLocal, writeLocal } from '../storage/local.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'farhand.theme'
const listeners = new Set<() => void>()

/** The theme chosen on this device; `system` follows the device. */
export function theme(): Theme {
  return themes.find((one) => one === readLocal(key)) ?? 'system'
}

/** Sets the theme of this device. */
export function setTheme(to: Theme): void {
  writeLocal(key, to)
  showTheme(to)
  for (const listener of listeners) listener()
}

/** Applies a theme to the page; call it before the first render. */
export function showTheme(to: Theme = theme()): void {
  const root = document.documentElement
  if (to === 'system') root.removeAttribute('data-theme')
  else root.setAttribute('data-theme', to)
  const bars = document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')
  for (const bar of bars) {
    const own = bar.media.includes('dark') ? 'dark' : 'light'
    bar.content = (to === 'system' ? own : to) === 'dark' ? '#111418' : '#ffffff'
  }
}

/** The current theme, updated from all tabs. */
export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    const elsewhere = (event: StorageEvent) => {
      if (event.key !== key) return
      showTheme()
      listener()
    }
    listeners.add(listener)
    addEventListener('storage', elsewhere)
    return () => {
      listeners.delete(listener)
      removeEventListener('storage', elsewhere)
    }
  }, theme)
}

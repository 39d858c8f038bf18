/**
 * Marks elements that got the focus by the Tab key with `data-tabbed`. The browser's `:focus-visible` also matches
 * after other keys, and would draw a frame around a whole pane.
 */
export function markTabFocus(): () => void {
  let isTab = false
  const onKey = ({ key }: KeyboardEvent) => {
    isTab = key === 'Tab'
  }
  const onPress = () => {
    isTab = false
  }
  const onIn = ({ target }: FocusEvent) => {
    if (isTab && target instanceof HTMLElement) target.dataset.tabbed = ''
  }
  const onOut = ({ target }: FocusEvent) => {
    if (target instanceof HTMLElement) delete target.dataset.tabbed
  }
  document.addEventListener('keydown', onKey, true)
  document.addEventListener('pointerdown', onPress, true)
  document.addEventListener('focusin', onIn)
  document.addEventListener('focusout', onOut)
  return () => {
    document.removeEventListener('keydown', onKey, true)
    document.removeEventListener('pointerdown', onPress, true)
    document.removeEventListener('focusin', onIn)
    document.removeEventListener('focusout', onOut)
  }
}

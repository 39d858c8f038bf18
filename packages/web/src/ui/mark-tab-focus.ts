/**
 * Marks what the focus came to by Tab, as `data-tabbed`. A browser also takes a key that answers or sends something for a
 * wish to see where the focus is, and would draw a frame around a whole pane.
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

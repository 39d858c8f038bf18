/** For scrollable elements without focusable content, so that the keyboard can scroll them. */
export const scrollable = { tabIndex: 0, 'data-scrolls': '' } as const

import type { Page } from 'playwright-core';

/** By how many pixels the page can be scrolled sideways, and what stands out; elements inside a box that scrolls by itself do not count. */
export async function sidewaysOverflow(page: Page): Promise<{ pixels: number; elements: string[] }> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const scrolls = (element: Element): boolean => {
      for (let box = element.parentElement; box !== null && box !== document.body; box = box.parentElement) {
        if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(box).overflowX) && box.getBoundingClientRect().right <= width + 0.5) return true;
      }
      return false;
    };
    const elements = [...document.body.querySelectorAll('*')]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 0 && element.getBoundingClientRect().right > width + 0.5 && !scrolls(element))
      .map((element) => `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} +${Math.round(element.getBoundingClientRect().right - width)}`);
    return { pixels: document.documentElement.scrollWidth - width, elements: elements.slice(0, 10) };
  });
}

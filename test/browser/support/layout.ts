import type { Page } from 'playwright-core';

/**
 * By how many pixels the page can be scrolled sideways, and what stands out; elements inside a box that scrolls by
 * itself do not count.
 */
export async function sidewaysOverflow(page: Page): Promise<{ pixels: number; elements: string[] }> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const scrolls = (element: Element): boolean => {
      for (let box = element.parentElement; box !== null && box !== document.body; box = box.parentElement) {
        if (
          ['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(box).overflowX) &&
          box.getBoundingClientRect().right <= width + 0.5
        )
          return true;
      }
      return false;
    };
    const elements = [...document.body.querySelectorAll('*')]
      .filter(
        (element) =>
          element.checkVisibility() &&
          element.getBoundingClientRect().width > 0 &&
          element.getBoundingClientRect().right > width + 0.5 &&
          !scrolls(element),
      )
      .map(
        (element) =>
          `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} +${Math.round(element.getBoundingClientRect().right - width)}`,
      );
    return { pixels: document.documentElement.scrollWidth - width, elements: elements.slice(0, 10) };
  });
}

/**
 * Touch targets less than 44 pixels high: name and height. Links and buttons within a sentence, a table or an answer do
 * not count.
 */
export async function smallTargets(page: Page): Promise<{ name: string; height: number }[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll(
        'button, a, select, summary, textarea, input:not([type="checkbox"], [type="radio"]), label:has(input)',
      ),
    ]
      .filter(
        (element) =>
          element.checkVisibility() &&
          element.getClientRects().length > 0 &&
          element.closest('p, td, .answer-body, .skip-link') === null,
      )
      .map((element) => ({
        name: `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent ?? ''}`.slice(0, 60),
        height: Math.round(element.getBoundingClientRect().height),
      }))
      .filter(({ height }) => height > 1 && height < 44),
  );
}

/**
 * Inline elements with an override of the direction of text that would turn what is beside them, because nothing
 * isolates them.
 */
export async function turningTexts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('main *')]
      .filter((element) =>
        [...element.childNodes].some(
          (node) => node.nodeType === Node.TEXT_NODE && /[\u202d\u202e]/.test(node.nodeValue ?? ''),
        ),
      )
      .filter(
        (element) =>
          getComputedStyle(element).display === 'inline' &&
          !/isolate|plaintext/.test(getComputedStyle(element).unicodeBidi),
      )
      .map((element) => element.outerHTML.slice(0, 80)),
  );
}

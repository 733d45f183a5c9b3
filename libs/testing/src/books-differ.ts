/** How the error of a test begins that found calls and books apart: the test runner gives its file no second try. */
export const booksDiffer = 'the books differ';

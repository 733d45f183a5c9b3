/** Where the browser keeps the code of whoever invited the visitor. */
export const inviterKey = 'aff';

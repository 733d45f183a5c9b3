import { api } from './api.ts';
import { call, calls } from './call.ts';

/** What the administrator wrote for everybody. */
export const { useGetNoticeQuery, useGetAboutQuery, useGetHomeContentQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    getNotice: build.query({ ...calls(() => call('GET /api/notice')), providesTags: ['Status'] }),
    getAbout: build.query({ ...calls(() => call('GET /api/about')), providesTags: ['Status'] }),
    getHomeContent: build.query({ ...calls(() => call('GET /api/home_page_content')), providesTags: ['Status'] }),
  }),
});
